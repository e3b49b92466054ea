import { useId } from "react";

export interface FileInputProps {
  label: string;
  accept?: string;
  disabled?: boolean;
  onFile: (file: File) => void;
}

/** A file input. */
export function FileInput({ label, accept, disabled, onFile }: FileInputProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        disabled={disabled}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) onFile(file);
        }}
      />
    </div>
  );
}
