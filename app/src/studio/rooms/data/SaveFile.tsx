import { Download } from "lucide-react";
import { Button } from "../../../design/Button.tsx";

/** A text that is here already, as a file. */
export function SaveFile({ name, text, label }: { name: string; text: string; label: string }) {
  return (
    <Button small onClick={() => saveFile(name, text)}>
      <Download size={15} aria-hidden="true" />
      {label}
    </Button>
  );
}

export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
