import { Upload } from "lucide-react";
import { type DragEvent, useId, useRef, useState } from "react";
import { Button } from "../../components/Button.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import "./FileInput.css";

export interface FileInputProps {
  label: string;
  accept?: string;
  disabled?: boolean;
  onFile: (file: File) => void;
}

/** Takes a file by a file picker or by drop, and shows its name. */
export function FileInput({ label, accept, disabled = false, onFile }: FileInputProps) {
  const { t } = useTranslation();
  const id = useId();
  const [name, setName] = useState("");
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  function choose(file: File | undefined): void {
    if (!file || disabled) return;
    setName(file.name);
    onFile(file);
  }
  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    // A form learns of unsaved input by this event, which only the picker sends by itself.
    input.current?.dispatchEvent(new Event("input", { bubbles: true }));
    choose(event.dataTransfer.files[0]);
  }
  return (
    <div className="field">
      <label id={`${id}-label`} htmlFor={id}>
        {label}
      </label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside offers the same by keyboard. */}
      <div
        className="file-input"
        data-over={isOver && !disabled}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Button
          small
          icon={Upload}
          disabled={disabled}
          aria-describedby={`${id}-label`}
          onClick={() => input.current?.click()}
        >
          {t("Choose a file")}
        </Button>
        <bdi className="soft small" role="status">
          {name || t("or drop a file here")}
        </bdi>
        <input
          ref={input}
          id={id}
          type="file"
          hidden
          accept={accept}
          disabled={disabled}
          onChange={({ target }) => {
            choose(target.files?.[0]);
            // The same file can be chosen again, after it was changed.
            target.value = "";
          }}
        />
      </div>
    </div>
  );
}
