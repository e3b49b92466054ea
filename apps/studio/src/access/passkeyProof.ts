import { Passkeys } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { StudioApi } from "../api.ts";

/** What a passkey of the operator signs, for a sign-in or as a second factor. */
export async function provePasskey(studio: StudioApi, purpose: "login" | "factor"): Promise<JsonObject> {
  return Passkeys.getCredential(await studio.passkeyOptions(purpose));
}

/** The second factor: the entered code, or a passkey if it is empty. */
export async function proveFactor(
  studio: StudioApi,
  code: string,
): Promise<{ code: string } | { passkey: JsonObject }> {
  return code === "" ? { passkey: await provePasskey(studio, "factor") } : { code };
}
