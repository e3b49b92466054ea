import type { ClassSchema } from "@purse/server";

const AT = "2026-01-01T00:00:00.000Z";

/** The fields of each object that is written, about 200 characters. */
export const FIELDS = { createdAt: AT, updatedAt: AT, n: 1, open: true, title: "x".repeat(100) };

/** How long a class stays followed, in ms. */
export const LEASE_MS = 60 * 60_000;

export function classOf(className: string): ClassSchema {
  return {
    className,
    table: className,
    fields: { n: { type: "Number" } },
    classLevelPermissions: {},
    indexes: {},
  };
}

let made = 0;

/** An objectId that no other object has. */
export function nextId(): string {
  made += 1;
  return `object${made}`;
}
