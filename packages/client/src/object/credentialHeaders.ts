import type { Connection } from "../connection.ts";
import { installationId } from "../identity.ts";
import { gateHeaders, type RequestOptions, sessionTokenFor } from "../transport.ts";

/** The credentials as headers, for requests that do not use the envelope. */
export async function credentialHeaders(
  options: RequestOptions,
  on: Connection,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    "X-Parse-Application-Id": on.applicationId,
    "X-Parse-Installation-Id": options.installationId ?? (await installationId(on)),
  };
  if (options.useMasterKey && on.masterKey) headers["X-Parse-Master-Key"] = on.masterKey;
  else if (on.javascriptKey) headers["X-Parse-Javascript-Key"] = on.javascriptKey;
  const token = await sessionTokenFor(options, on);
  if (token) headers["X-Parse-Session-Token"] = token;
  return { ...headers, ...gateHeaders(on) };
}
