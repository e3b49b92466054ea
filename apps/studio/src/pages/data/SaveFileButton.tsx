import { Button, downloadFile } from "@purse/ui";
import { Download } from "lucide-react";

/** Downloads a text as a file. */
export function SaveFileButton({ name, text, label }: { name: string; text: string; label: string }) {
  return (
    <Button icon={Download} small onClick={() => downloadFile(name, text)}>
      {label}
    </Button>
  );
}
