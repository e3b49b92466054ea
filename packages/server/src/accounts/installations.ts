import type { JsonObject } from "@purse/protocol";
import type { AccountsParts } from "./parts.ts";

/** Where an installation is, and since when: nothing of what it holds. */
export interface KnownInstallation {
  objectId: string;
  /** ISO. */
  createdAt: string;
}

/**
 * Finds the installation of a device by the id that the device has made for itself. It looks past every permission:
 * who wants to read or change what it finds needs rights of their own.
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
