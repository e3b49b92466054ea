import { ErrorCode, isWireFile, ProtocolError } from "@purse/protocol";
import type { Config } from "../../config/loadConfig.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import { type PendingWrite, setField, setValueOf } from "../../data/objects/pendingWrite.ts";

const REQUIRED = ["productIdentifier", "icon", "order", "title", "subtitle"] as const;

/**
 * Rules of `_Product`, what an app sells. Everyone reads products. Unless the class has permissions of its own, only
 * the master key writes them; in Parse Server compatibility mode everyone does.
 */
export function productRules({ compatibility }: Pick<Config, "compatibility">): ClassRules {
  const everyone = { "*": true } as const;
  const writers = compatibility === "parse" ? everyone : {};
  return {
    className: "_Product",
    clientAccess: true,
    fields: {
      productIdentifier: { type: "String" },
      download: { type: "File" },
      downloadName: { type: "String" },
      icon: { type: "File" },
      order: { type: "Number" },
      title: { type: "String" },
      subtitle: { type: "String" },
    },
    classLevelPermissions: {
      find: everyone,
      get: everyone,
      count: everyone,
      create: writers,
      update: writers,
      delete: writers,
      addField: writers,
    },
    beforeCreate(pending) {
      for (const field of REQUIRED) {
        const value = setValueOf(pending, field);
        if (value === undefined || value === null || value === "") throw requiredError(field);
      }
      setDownloadName(pending);
    },
    beforeUpdate(pending) {
      for (const field of REQUIRED)
        if (pending.operations[field]?.op === "Delete") throw requiredError(field);
      setDownloadName(pending);
    },
  };
}

/** Sets the name of a new download, which clients show before they may have the file. */
function setDownloadName(pending: PendingWrite): void {
  const download = setValueOf(pending, "download");
  if (!isWireFile(download)) return;
  setField(pending, "downloadName", download.name);
  pending.returnedFields.downloadName = download.name;
}

function requiredError(field: string): ProtocolError {
  return new ProtocolError(ErrorCode.INCORRECT_TYPE, `${field} is required.`);
}
