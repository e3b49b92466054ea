import { File as FileSign, FileText, Folder, Image } from "lucide-react";
import { useState } from "react";
import { isSafeImage, type StoredFile } from "./fileRecord.ts";

/** A preview of safe image types; an icon for other files. */
export function Preview({ file, size }: { file: StoredFile; size: "small" | "large" }) {
  const { type, url } = file;
  const [isBroken, setIsBroken] = useState(false);
  if (url !== undefined && isSafeImage(type) && !isBroken) {
    return (
      <img
        className="preview"
        data-size={size}
        src={url}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        onError={() => setIsBroken(true)}
      />
    );
  }
  const Icon =
    type === "folder"
      ? Folder
      : type.startsWith("image/")
        ? Image
        : type.startsWith("text/")
          ? FileText
          : FileSign;
  return (
    <span className="preview" data-size={size} aria-hidden="true">
      <Icon size={size === "small" ? 18 : 40} strokeWidth={1.6} />
    </span>
  );
}
