import type { JsonObject } from "@purse/protocol";
import type { AuthDependencies } from "./types.ts";

/** The identifying fields of an installation; the lookup returns no others. */
export interface InstallationSummary {
  objectId: string;
  /** ISO 8601. */
  createdAt: string;
}

/**
 * Finds an installation by the ID that its device has generated. The lookup bypasses permissions; reading or updating
 * the installation still requires the permissions of the request.
 */
export async function findInstallation(
  { store, schemaOf }: Pick<AuthDependencies, "store" | "schemaOf">,
  installationId: string,
): Promise<InstallationSummary | undefined> {
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
    subjects: null,
  });
  if (text === undefined) return undefined;
  const { objectId, createdAt }: JsonObject = JSON.parse(text);
  return { objectId: String(objectId), createdAt: String(createdAt) };
}
