import type { JsonObject, JsonValue } from "@purse/protocol";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { AclSubjects } from "../core/aclSubjects.ts";
import { evaluateAcl } from "../data/permissions/acl.ts";

/** Parse error code for a device token that several installations have. */
const AMBIGUOUS_DEVICE_TOKEN_CODE = 132;

/** The identifying fields of a save of an installation. */
export interface InstallationIds {
  /** Lowercase. From the fields of the save, otherwise from the header of the request. */
  installationId: string | undefined;
  /** Whether the fields contain `installationId`. */
  namesInstallation: boolean;
  deviceToken: string | undefined;
  appIdentifier: JsonValue | undefined;
}

/** Which installation a save changes, and which it replaces. */
export interface InstallationMerge {
  /** Undefined if a new one is created. */
  target: JsonObject | undefined;
  /** Deleted, which requires the permissions of the client. */
  merged: JsonObject[];
  /** Deleted: older installations of the same device. */
  obsolete: JsonObject[];
}

/**
 * Decides what happens to the installations of one device, as parse-server does: one of them remains. `known` are those
 * that have one of the IDs; `addressed` is the one of an update. Throws 132 if the device token belongs to several and
 * the save does not say which is meant. Older installations that the client may not write are left alone.
 */
export function mergeInstallations(
  ids: InstallationIds,
  known: readonly JsonObject[],
  addressed: JsonObject | undefined,
  subjects: AclSubjects,
): InstallationMerge {
  const { installationId, deviceToken } = ids;
  const sameToken = deviceToken === undefined ? [] : known.filter((each) => each.deviceToken === deviceToken);
  const sameId =
    installationId === undefined ? undefined : known.find((each) => each.installationId === installationId);
  // The header identifies the device that sends an update, not the installation that is updated.
  const byId = addressed && !ids.namesInstallation ? addressed : (sameId ?? addressed);
  const [onlyToken] = sameToken.length === 1 ? sameToken : [];

  if (!byId) {
    if (sameToken.length === 0) return { target: undefined, merged: [], obsolete: [] };
    if (onlyToken && (!onlyToken.installationId || installationId === undefined))
      return { target: onlyToken, merged: [], obsolete: [] };
    if (!ids.namesInstallation) {
      throw new ProtocolError(
        AMBIGUOUS_DEVICE_TOKEN_CODE,
        "Must specify installationId when deviceToken matches multiple Installation objects",
      );
    }
    return { target: undefined, merged: [], obsolete: replaceable(sameToken) };
  }
  if (onlyToken && !onlyToken.installationId && onlyToken.objectId !== byId.objectId) {
    return { target: onlyToken, merged: [byId], obsolete: [] };
  }
  return { target: byId, merged: [], obsolete: replaceable(sameToken) };

  function replaceable(installations: readonly JsonObject[]): JsonObject[] {
    return installations.filter(
      (each) =>
        each.objectId !== byId?.objectId &&
        (ids.appIdentifier === undefined || each.appIdentifier === ids.appIdentifier) &&
        evaluateAcl(each, "write", subjects),
    );
  }
}

/** Throws 101 unless the client may write the installation that an update addresses. */
export function assertAddressable(
  installation: JsonObject | undefined,
  subjects: AclSubjects,
): asserts installation is JsonObject {
  if (installation && evaluateAcl(installation, "write", subjects)) return;
  throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
