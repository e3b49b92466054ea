import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import type { Files } from "../files/index.ts";
import type { Operations, UploadedFile } from "../graphql/index.ts";
import { assertBatchLimits, type BatchedRequest } from "./batchLimits.ts";
import type { ParseApi } from "./parseApi.ts";

export interface GraphqlOperationsDependencies {
  appId: string;
  parseApi: Pick<ParseApi, "execute">;
  files: Pick<Files, "save" | "maxUploadSize">;
  authenticateSession: Operations["authenticateSession"];
  maxLimit: number | undefined;
}

/** Creates the operations of one GraphQL request: it may do as much at once as a batch of the Parse API. */
export function createGraphqlOperations(dependencies: GraphqlOperationsDependencies): Operations {
  const { parseApi, files, appId } = dependencies;
  const writes: BatchedRequest[] = [];

  const execute: Operations["execute"] = async (request, method, path, params) => {
    if (method !== "GET" && !bypassesPermissions(request.auth)) {
      writes.push({ method, path, params });
      assertBatchLimits(writes);
    }
    const reply = await parseApi.execute(request, method, path, params);
    const value: JsonValue = JSON.parse(reply.body);
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
  files: Pick<Files, "save" | "maxUploadSize">,
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
  const bytes = Buffer.from(await file.arrayBuffer());
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
