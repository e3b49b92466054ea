import type { Connection } from "../connection.ts";
import { installationId } from "../installationId.ts";
import { customHeaders, type RequestOptions, sessionTokenFor } from "../transport.ts";

/** The credentials as headers, for requests that do not use the envelope. */
export async function credentialHeaders(
  options: RequestOptions,
  conn: Connection,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    "X-Parse-Application-Id": conn.applicationId,
    "X-Parse-Installation-Id": options.installationId ?? (await installationId(conn)),
  };
  if (options.useMasterKey && conn.masterKey) headers["X-Parse-Master-Key"] = conn.masterKey;
  else if (conn.javascriptKey) headers["X-Parse-Javascript-Key"] = conn.javascriptKey;
  const token = await sessionTokenFor(options, conn);
  if (token) headers["X-Parse-Session-Token"] = token;
  return { ...headers, ...customHeaders(conn) };
}
