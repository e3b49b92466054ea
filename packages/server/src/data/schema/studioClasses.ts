import type { ClassSchema } from "../../database/classSchema.ts";
import type { Store } from "../../database/store.ts";
import { PASSKEY_FIELDS } from "./passkeyFields.ts";

/*
 * Classes of the admin API. Their names are invalid in the Parse protocol, and they are not among its schemas, so that
 * no other API can access them.
 */

const FIELDS = {
  _StudioOperator: {
    username: { type: "String" },
    role: { type: "String" },
    isDisabled: { type: "Boolean" },
    hasSecondFactor: { type: "Boolean" },
    lastSignInAt: { type: "String" },
    theme: { type: "String" },
  },
  _StudioSession: {
    operatorId: { type: "String" },
    lastUsedAt: { type: "String" },
    expiresAt: { type: "String" },
    address: { type: "String" },
    userAgent: { type: "String" },
    name: { type: "String" },
  },
  _StudioPasskey: PASSKEY_FIELDS,
  _StudioAudit: {
    operatorId: { type: "String" },
    username: { type: "String" },
    action: { type: "String" },
    target: { type: "String" },
    outcome: { type: "String" },
    before: { type: "String" },
    after: { type: "String" },
    address: { type: "String" },
    requestId: { type: "String" },
    error: { type: "String" },
  },
  _StudioConfig: {
    operatorId: { type: "String" },
    username: { type: "String" },
    params: { type: "Object" },
    masterKeyOnly: { type: "Object" },
    change: { type: "Object" },
  },
  _StudioBackupSchedule: {
    cron: { type: "String" },
    keep: { type: "Number" },
  },
  _StudioView: {
    operatorId: { type: "String" },
    username: { type: "String" },
    // `className` is no name of a field in conditions.
    ofClass: { type: "String" },
    name: { type: "String" },
    view: { type: "Object" },
    isShared: { type: "Boolean" },
  },
  _StudioMail: {
    username: { type: "String" },
    subject: { type: "String" },
    text: { type: "String" },
    html: { type: "String" },
  },
  _StudioKeyUsage: {
    requests: { type: "Object" },
  },
} as const satisfies Record<string, ClassSchema["fields"]>;

const INDEXES: Partial<Record<StudioClass, ClassSchema["indexes"]>> = {
  _StudioSession: { operatorId: { operatorId: 1 } },
  _StudioPasskey: { owner: { owner: 1 } },
  _StudioView: { ofClass: { ofClass: 1 } },
};

export type StudioClass = keyof typeof FIELDS;
export type StudioClasses = Readonly<Record<StudioClass, ClassSchema>>;

/** Whether a class belongs to the admin API. */
export function isStudioClass(className: string): boolean {
  return className.startsWith("_Studio");
}

/** Whether a scope of unique values or counters belongs to the admin API. */
export function isStudioScope(scope: string): boolean {
  return scope.startsWith("_Studio");
}

/** Operators, the audit log and the schedule of backups, which a restore from the studio does not change. */
export const PRESERVED_CLASSES: readonly StudioClass[] = [
  "_StudioOperator",
  "_StudioSession",
  "_StudioPasskey",
  "_StudioAudit",
  "_StudioBackupSchedule",
];

/** Loads the classes of the admin API and creates missing ones. */
export async function openStudioClasses(store: Store): Promise<StudioClasses> {
  const open = (className: StudioClass) =>
    store.changeClass(className, (current) => {
      const fields = FIELDS[className];
      const isCurrent = current && Object.keys(fields).every((name) => name in current.fields);
      if (isCurrent) return current;
      const table = current?.table ?? className;
      return {
        className,
        table,
        fields: { ...fields },
        classLevelPermissions: {},
        indexes: { ...INDEXES[className] },
      };
    });
  return {
    _StudioOperator: await open("_StudioOperator"),
    _StudioSession: await open("_StudioSession"),
    _StudioPasskey: await open("_StudioPasskey"),
    _StudioAudit: await open("_StudioAudit"),
    _StudioConfig: await open("_StudioConfig"),
    _StudioBackupSchedule: await open("_StudioBackupSchedule"),
    _StudioView: await open("_StudioView"),
    _StudioMail: await open("_StudioMail"),
    _StudioKeyUsage: await open("_StudioKeyUsage"),
  };
}
