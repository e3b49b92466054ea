import { ErrorCode, ProtocolError } from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import { addressKey } from "../../core/http/address.ts";
import { assertBatchLimits, type BatchedRequest } from "../../core/http/batchLimits.ts";
import type { ParseApiCalls } from "../../core/http/parseApiCalls.ts";
import type { EventLoopBudget } from "../../core/limits/eventLoopBudget.ts";
import { messageCost } from "../../core/limits/tokenBucket.ts";
import type { FileService } from "../files/token.ts";
import type { Operations, UploadedFile } from "./context.ts";

export interface GraphqlOperationsDependencies {
  appId: string;
  parseApi: Pick<ParseApiCalls, "executeForValue">;
  files: Pick<FileService, "save" | "maxUploadSize">;
  authenticateSession: Operations["authenticateSession"];
  maxLimit: number | undefined;
  /** Limits how many operations of all requests start in one turn of the event loop. */
  loopBudget: EventLoopBudget;
}

/** What starting an operation takes of the turn of the event loop. */
const OPERATION_COST = 2;

/** Creates the operations of one GraphQL request: it may do as much at once as a batch of the Parse API. */
export function createGraphqlOperations(dependencies: GraphqlOperationsDependencies): Operations {
  const { parseApi, files, appId, loopBudget } = dependencies;
  const writes: BatchedRequest[] = [];

  const execute: Operations["execute"] = async (request, method, path, params) => {
    if (method !== "GET" && !bypassesPermissions(request.auth)) {
      writes.push({ method, path, params });
      assertBatchLimits(writes);
    }
    // A page may have thousands of objects, each with a query of its own.
    const key = addressKey(request.ip);
    await loopBudget.acquire(OPERATION_COST, { key });
    const { value, chars } = await parseApi.executeForValue(request, method, path, params);
    // Many responses may arrive in one turn.
    await loopBudget.acquire(messageCost(chars), { key });
    return value;
  };

  return {
    execute,
    authenticateSession: dependencies.authenticateSession,
    maxLimit: dependencies.maxLimit,
    async setPassword(request, username, token, password) {
      // As a script and not as the form, which would get a page.
      const headers = { "x-requested-with": "XMLHttpRequest" };
      const params = { username, token, new_password: password };
      await execute({ ...request, headers }, "POST", `/apps/${appId}/request_password_reset`, params);
    },
    saveFile: (request, file) => saveFile(files, request, file),
  };
}

async function saveFile(
  files: Pick<FileService, "save" | "maxUploadSize">,
  request: RequestContext,
  file: UploadedFile,
): Promise<{ name: string; url: string }> {
  const { maxUploadSize } = files;
  if (file.size > maxUploadSize) {
    throw new ProtocolError(
      ErrorCode.FILE_SAVE_ERROR,
      `File truncated as it exceeds the ${maxUploadSize} byte size limit.`,
    );
  }
  const { content: bytes } = file;
  const contentType = file.type === "" ? undefined : file.type.split(";", 1)[0];
  const { name, url } = await files.save(request, {
    name: withExtension(file.name, contentType),
    contentType,
    fileData: {},
    content: { bytes, size: bytes.length },
  });
  return { name, url };
}

/** Adds the extension of the content type to a name that has none. */
function withExtension(name: string, contentType: string | undefined): string {
  if (name.includes(".")) return name;
  const extension = contentType && EXTENSIONS.get(contentType);
  return extension ? `${name}.${extension}` : name;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/json", "json"],
  ["application/pdf", "pdf"],
  ["image/gif", "gif"],
  ["image/jpeg", "jpeg"],
  ["image/png", "png"],
  ["image/webp", "webp"],
  ["text/csv", "csv"],
  ["text/plain", "txt"],
]);
