import {
  type Condition,
  ErrorCode,
  type JsonObject,
  type JsonValue,
  MAX_DEVICE_TOKEN_LENGTH,
  MAX_INSTALLATION_ID_LENGTH,
  ProtocolError,
} from "@purse/protocol";
import { aclSubjectsOf, bypassesPermissions } from "../core/authContext.ts";
import type { Objects, SaveReply } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { findRows } from "../database/serverRows.ts";
import type { Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { assertAddressable, type InstallationIds, mergeInstallations } from "./installationMerge.ts";
import { immutableFieldError, normalizeDeviceToken } from "./installationRules.ts";

/** Saves an installation: `objectId` is the one of an update. */
export type SaveInstallation = (request: WriteRequest, objectId?: string) => Promise<SaveReply>;

/** At most this many installations with one device token are replaced at a time. */
const MAX_MATCHES = 1_000;

/**
 * Creates the function that saves installations so that each device has one: a save of a known device changes its
 * installation, and those that it replaces are deleted in the same transaction. The change requires the permissions of
 * the client; installations are looked up regardless of them.
 */
export function createSaveInstallation(
  { store, schemaOf }: Pick<AuthDependencies, "store" | "schemaOf">,
  objects: Pick<Objects, "create" | "update">,
): SaveInstallation {
  return async function saveInstallation(request, objectId) {
    try {
      return await save(request, objectId);
    } catch (error) {
      // Another request may have deleted one of the installations in the meantime; in a transaction its writes count.
      const isMissing = error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND;
      if (!isMissing || request.writeOptions.transaction) throw error;
      return save(request, objectId);
    }
  };

  async function save(request: WriteRequest, objectId: string | undefined): Promise<SaveReply> {
    const { params, auth } = request;
    // SDKs send the ID of their installation with every request.
    const own = bypassesPermissions(auth) ? undefined : request.installationId;
    const ids = idsOf(params, own);
    const subjects = aclSubjectsOf(auth);
    const identifies = ids.deviceToken !== undefined || ids.namesInstallation;
    if (objectId !== undefined && !identifies) {
      return objects.update(request, "_Installation", objectId, params, request.writeOptions);
    }
    const known = await find(ids, objectId);
    const addressed = known.find((each) => each.objectId === objectId);
    if (objectId !== undefined) {
      assertAddressable(addressed, subjects);
      assertSameInstallation(ids, addressed);
    }
    const { target, merged, obsolete } = mergeInstallations(ids, known, addressed, subjects);
    const schema = schemaOf("_Installation");
    const deletion = (each: JsonObject, as: typeof subjects): Write => ({
      kind: "delete",
      schema,
      id: String(each.objectId),
      subjects: as,
    });
    const additionalWrites = [
      ...merged.map((each) => deletion(each, subjects)),
      ...obsolete.map((each) => deletion(each, null)),
    ];
    const options = { ...request.writeOptions, additionalWrites };
    if (!target) {
      const usesOwnId =
        params.installationId === undefined && params.deviceToken === undefined && own !== undefined;
      const fields = usesOwnId ? { ...params, installationId: own } : params;
      return objects.create(request, "_Installation", fields, options);
    }
    const targetId = String(target.objectId);
    if (targetId === objectId) return objects.update(request, "_Installation", targetId, params, options);
    // The client learns which installation it has now.
    const identity: JsonObject = { objectId: targetId };
    if (objectId === undefined) identity.createdAt = String(target.createdAt);
    const { idempotentWrite } = options;
    const withIdentity = (reply: { body: JsonObject }): SaveReply => ({
      status: 200,
      body: { ...reply.body, ...identity },
    });
    const { objectId: _ignored, ...fields } = params;
    const reply = await objects.update(request, "_Installation", targetId, fields, {
      ...options,
      idempotentWrite: idempotentWrite?.withFormat((saved) => {
        const { status, body } = withIdentity(saved);
        return { status, body: JSON.stringify(body) };
      }),
    });
    return withIdentity(reply);
  }

  /** Finds the installations that have one of the IDs, bypassing permissions. */
  async function find(ids: InstallationIds, objectId: string | undefined): Promise<JsonObject[]> {
    const conditions = Object.entries({
      objectId,
      installationId: ids.installationId,
      deviceToken: ids.deviceToken,
    }).flatMap(([field, value]): Condition[] =>
      value === undefined ? [] : [{ kind: "eq", path: [field], operand: { type: "string", value } }],
    );
    if (conditions.length === 0) return [];
    return findRows(store, schemaOf("_Installation"), {
      where: { kind: "or", conditions },
      limit: MAX_MATCHES,
    });
  }
}

function idsOf(params: JsonObject, ownInstallationId: string | undefined): InstallationIds {
  const { installationId, deviceToken, appIdentifier } = params;
  const id = installationId === undefined ? ownInstallationId : installationId;
  return {
    installationId: textOf(id, MAX_INSTALLATION_ID_LENGTH)?.toLowerCase(),
    namesInstallation: textOf(installationId, MAX_INSTALLATION_ID_LENGTH) !== undefined,
    deviceToken: normalizeDeviceToken(textOf(deviceToken, MAX_DEVICE_TOKEN_LENGTH)),
    appIdentifier,
  };
}

/** Other values are rejected, with their own errors, when the installation is written. */
function textOf(value: JsonValue | undefined, maxLength: number): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= maxLength ? value : undefined;
}

/** An installation that has an ID keeps it, so that an update with another one merges nothing. Throws 136. */
function assertSameInstallation(ids: InstallationIds, { installationId }: JsonObject): void {
  if (!ids.namesInstallation || !installationId || installationId === ids.installationId) return;
  throw immutableFieldError("installationId");
}
