import { z } from "zod";

export const STUDIO_ROLES = ["owner", "editor", "readOnly"] as const;

/** Permissions of an operator: everything; everything except operators, keys and backups; read-only. */
export const studioRole = z.enum(STUDIO_ROLES);
export type StudioRole = z.infer<typeof studioRole>;

/** Who may call an endpoint: everyone, any signed-in operator (for their own account), or a minimum role. */
export const studioAccessLevel = z.enum(["none", "session", ...STUDIO_ROLES]);
export type StudioAccessLevel = z.infer<typeof studioAccessLevel>;
