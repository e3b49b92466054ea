import type { JsonObject } from "@purse/protocol";

/** Common permissions of classes, by the word that stands for them in definitions and requests. */
export const ACCESS_PRESETS = {
  /** Only operators have access. */
  closed: permissions({ reads: {}, creates: {}, changes: {} }),
  /** Everyone reads, only operators write. */
  publicRead: permissions({ reads: { "*": true }, creates: {}, changes: {} }),
  /** Signed-in users read, only operators write. */
  usersRead: permissions({ reads: { requiresAuthentication: true }, creates: {}, changes: {} }),
  /** Signed-in users create objects, which only they themselves read, change and delete. */
  usersOwn: permissions(
    {
      reads: { requiresAuthentication: true },
      creates: { requiresAuthentication: true },
      changes: { requiresAuthentication: true },
    },
    { currentUser: { read: true, write: true } },
  ),
  /** Signed-in users create objects, which everyone reads, and which only they themselves change and delete. */
  usersCreate: permissions(
    {
      reads: { "*": true },
      creates: { requiresAuthentication: true },
      changes: { requiresAuthentication: true },
    },
    { "*": { read: true }, currentUser: { read: true, write: true } },
  ),
  /** Everyone creates objects, which only operators read and change: forms. */
  publicCreate: permissions({ reads: {}, creates: { "*": true }, changes: {} }, {}),
  /** Everyone reads, creates, changes and deletes objects that have no ACL. */
  open: permissions(
    { reads: { "*": true }, creates: { "*": true }, changes: { "*": true } },
    { "*": { read: true, write: true } },
  ),
};

export type AccessPreset = keyof typeof ACCESS_PRESETS;

/** From the most closed to the most open. */
export const ACCESS_PRESET_NAMES = [
  "closed",
  "publicRead",
  "usersRead",
  "usersOwn",
  "usersCreate",
  "publicCreate",
  "open",
] as const satisfies readonly AccessPreset[];

export function isAccessPreset(word: unknown): word is AccessPreset {
  return typeof word === "string" && Object.hasOwn(ACCESS_PRESETS, word);
}

/** Who may perform an operation, by subject. */
type Permission = Record<string, true>;

/** No word lets clients add fields. */
function permissions(
  { reads, creates, changes }: { reads: Permission; creates: Permission; changes: Permission },
  acl?: JsonObject,
) {
  return {
    ...(acl && { ACL: acl }),
    find: reads,
    count: reads,
    get: reads,
    create: creates,
    update: changes,
    delete: changes,
    addField: {},
    protectedFields: {},
  };
}
