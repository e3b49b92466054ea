import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { TriggerOptions } from "./triggers.ts";
import type { FileDownload, FileInfo, FileTriggerName, Invocation } from "./workerMessages.ts";

type ChangeTrigger = Exclude<FileTriggerName, DownloadTrigger>;
type DownloadTrigger = "beforeFindFile" | "afterFindFile";

/** The properties of a file that a trigger changed. */
interface ChangedFile {
  name?: string;
  url?: string;
  contentType?: string;
  base64?: string;
  metadata?: JsonObject;
  tags?: JsonObject;
}

/**
 * The file triggers of cloud code; each is undefined if it is not defined, and rejects with ProtocolError to refuse.
 */
export interface CloudFileTriggers {
  /** Returns what replaces the file, if anything. */
  fileTrigger(
    trigger: ChangeTrigger,
  ): ((file: FileInfo, request: RequestContext) => Promise<ChangedFile | undefined>) | undefined;
  /** Returns what is sent instead of the file, if anything. */
  downloadTrigger(
    trigger: DownloadTrigger,
  ): ((file: FileInfo, request: RequestContext) => Promise<FileDownload>) | undefined;
}

export function createFileTriggers({ hasHandler, callContextOf, run }: TriggerOptions): CloudFileTriggers {
  async function runTrigger(
    trigger: FileTriggerName,
    file: FileInfo,
    request: RequestContext,
  ): Promise<JsonObject | undefined> {
    const invocation: Invocation = { kind: "file", trigger, file, callContext: await callContextOf(request) };
    const { value } = await run(trigger, invocation);
    return isJsonObject(value) ? value : undefined;
  }
  return {
    fileTrigger(trigger) {
      if (!hasHandler(trigger)) return undefined;
      return async (file, request) => {
        const changed = await runTrigger(trigger, file, request);
        return changed && toChangedFile(changed);
      };
    },
    downloadTrigger(trigger) {
      if (!hasHandler(trigger)) return undefined;
      return async (file, request) => {
        const { name, base64, forceDownload } = (await runTrigger(trigger, file, request)) ?? {};
        return {
          ...(typeof name === "string" && { name }),
          ...(typeof base64 === "string" && { base64 }),
          ...(forceDownload === true && { forceDownload }),
        };
      };
    },
  };
}

function toChangedFile({ name, url, contentType, base64, metadata, tags }: JsonObject): ChangedFile {
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof url === "string" && { url }),
    ...(typeof contentType === "string" && { contentType }),
    ...(typeof base64 === "string" && { base64 }),
    ...(isJsonObject(metadata) && { metadata }),
    ...(isJsonObject(tags) && { tags }),
  };
}
