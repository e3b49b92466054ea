import { Button, downloadFile } from "@purse/ui";
import { Download } from "lucide-react";

/** Downloads a text as a file. */
export function SaveFileButton({ name, text, label }: { name: string; text: string; label: string }) {
  return (
    <Button small onClick={() => downloadFile(name, text)}>
      <Download size={15} aria-hidden="true" />
      {label}
    </Button>
  );
}
