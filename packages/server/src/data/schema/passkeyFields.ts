import type { ClassSchema } from "../../database/classSchema.ts";

/** The fields of a passkey, of users and of operators. */
export const PASSKEY_FIELDS = {
  owner: { type: "String" },
  name: { type: "String" },
  credentialId: { type: "String" },
  publicKey: { type: "String" },
  counter: { type: "Number" },
  transports: { type: "Array" },
  isSyncable: { type: "Boolean" },
  isBackedUp: { type: "Boolean" },
  lastUsedAt: { type: "String" },
} as const satisfies ClassSchema["fields"];
