import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { FileDownload, FileFacts, FileTriggerName, Task } from "./messages.ts";
import type { TriggerOptions } from "./triggers.ts";

type ChangeTrigger = Exclude<FileTriggerName, DownloadTrigger>;
type DownloadTrigger = "beforeFindFile" | "afterFindFile";

/** What of a file a trigger has changed. */
export interface ChangedFile {
  name?: string;
  url?: string;
  contentType?: string;
  base64?: string;
  metadata?: JsonObject;
  tags?: JsonObject;
}

/** The triggers of files; each is undefined where the code has none. They reject with ProtocolError to refuse. */
export interface FileTriggersOfCode {
  /** Answers what takes the place of the file, if anything. */
  fileTrigger(
    trigger: ChangeTrigger,
  ): ((file: FileFacts, request: RequestContext) => Promise<ChangedFile | undefined>) | undefined;
  /** Answers what is sent instead of the file, if anything. */
  downloadTrigger(
    trigger: DownloadTrigger,
  ): ((file: FileFacts, request: RequestContext) => Promise<FileDownload>) | undefined;
}

export function createFileTriggers({ has, causeOf, run }: TriggerOptions): FileTriggersOfCode {
  async function runTrigger(
    trigger: FileTriggerName,
    file: FileFacts,
    request: RequestContext,
  ): Promise<JsonObject | undefined> {
    const task: Task = { kind: "file", trigger, file, cause: await causeOf(request) };
    const { value } = await run(trigger, task);
    return isJsonObject(value) ? value : undefined;
  }
  return {
    fileTrigger(trigger) {
      if (!has(trigger)) return undefined;
      return async (file, request) => {
        const changed = await runTrigger(trigger, file, request);
        return changed && changedFile(changed);
      };
    },
    downloadTrigger(trigger) {
      if (!has(trigger)) return undefined;
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

function changedFile({ name, url, contentType, base64, metadata, tags }: JsonObject): ChangedFile {
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof url === "string" && { url }),
    ...(typeof contentType === "string" && { contentType }),
    ...(typeof base64 === "string" && { base64 }),
    ...(isJsonObject(metadata) && { metadata }),
    ...(isJsonObject(tags) && { tags }),
  };
}
