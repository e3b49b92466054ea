import type { JsonObject } from "@purse/protocol";
import type { AccountsParts } from "./parts.ts";

/** What identifies an installation. None of its other fields leave the look-up. */
export interface KnownInstallation {
  objectId: string;
  /** ISO. */
  createdAt: string;
}

/**
 * Finds an installation by the id that its device has generated. The look-up bypasses permissions; reading or updating
 * the installation still requires the rights of the caller.
 */
export async function findInstallation(
  { store, schemaOf }: Pick<AccountsParts, "store" | "schemaOf">,
  installationId: string,
): Promise<KnownInstallation | undefined> {
  const [text] = await store.find({
    schema: schemaOf("_Installation"),
    where: {
      kind: "eq",
      path: ["installationId"],
      operand: { type: "string", value: installationId.toLowerCase() },
    },
    order: [],
    limit: 1,
    skip: 0,
    principals: null,
  });
  if (text === undefined) return undefined;
  const { objectId, createdAt }: JsonObject = JSON.parse(text);
  return { objectId: String(objectId), createdAt: String(createdAt) };
}
