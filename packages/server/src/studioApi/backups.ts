import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { count, nothing, text } from "./fields.ts";

export const studioBackup = z
  .object({
    file: z.string(),
    sizeBytes: z.int(),
    createdAt: z.string(),
    origin: z
      .enum(["made", "scheduled", "uploaded", "beforeRestore"])
      .describe("Created on request, by the schedule, uploaded, or created automatically before a restore"),
  })
  .meta({ id: "StudioBackup" });
export type StudioBackup = z.infer<typeof studioBackup>;

export const studioRestoreProgress = z
  .object({
    file: z.string(),
    phase: z
      .enum(["copying", "checking", "restarting"])
      .describe(
        "During `copying` and `checking` the server keeps working; during `restarting` it is unavailable for a few seconds",
      ),
    bytes: z.int(),
    totalBytes: z.int(),
  })
  .meta({ id: "StudioRestoreProgress" });
export type StudioRestoreProgress = z.infer<typeof studioRestoreProgress>;

export const studioRestore = z
  .object({
    file: z.string(),
    username: z.string(),
    at: z.string(),
    outcome: z.enum(["done", "failed"]),
    error: z.string().optional().describe("Why it failed; the database is unchanged in that case"),
    keptAs: z.string().optional().describe("File name of the backup of the previous database"),
  })
  .meta({ id: "StudioRestore" });
export type StudioRestore = z.infer<typeof studioRestore>;

export const studioBackupSchedule = z
  .object({
    cron: z.string().describe("Cron expression with five fields, in UTC"),
    keep: z.int().describe("How many scheduled backups are kept; older ones are deleted"),
    nextAt: z.string().nullable(),
  })
  .meta({ id: "StudioBackupSchedule" });
export type StudioBackupSchedule = z.infer<typeof studioBackupSchedule>;

export const studioScheduledBackup = z
  .object({
    at: z.string(),
    status: z.enum(["running", "succeeded", "failed"]),
    message: z.string().optional().describe("The file, or why it failed"),
  })
  .meta({ id: "StudioScheduledBackup" });
export type StudioScheduledBackup = z.infer<typeof studioScheduledBackup>;

export const studioBackupState = z
  .object({
    isRunning: z.boolean(),
    copied: z.int().describe("Pages or rows that have been copied"),
    total: z.int().describe("0 until it is known; the number of rows is estimated"),
    unit: z
      .enum(["pages", "rows"])
      .describe("`pages` of an SQLite database, `rows` of a PostgreSQL database"),
    error: z.string().optional(),
    backups: z.array(studioBackup),
    canRestore: z.boolean().describe("Whether the server can restart itself"),
    restoring: studioRestoreProgress.optional(),
    lastRestore: studioRestore.optional(),
    schedule: studioBackupSchedule.optional(),
    lastScheduled: studioScheduledBackup.optional(),
    sendsAlerts: z.boolean().describe("Whether failures are reported by email or webhook"),
  })
  .meta({ id: "StudioBackupState" });
export type StudioBackupState = z.infer<typeof studioBackupState>;

const file = z.object({ file: z.string() });

export const backupEndpoints = {
  state: endpoint("GET", "/backups", {
    needs: "owner",
    summary: "Backups, and the progress of a backup or restore",
    input: nothing,
    response: studioBackupState,
  }),
  begin: endpoint("POST", "/backups", {
    needs: "owner",
    summary:
      "Starts a copy of the database in `backups` of the data directory, or in the bucket of `PURSE_BACKUPS_STORE`",
    input: nothing,
    response: file,
    status: 202,
  }),
  download: endpoint("GET", "/backups/:file", {
    needs: "owner",
    summary: "The file",
    input: nothing,
    response: nothing,
    streams: ["application/vnd.sqlite3", "application/gzip"],
  }),
  remove: endpoint("DELETE", "/backups/:file", {
    needs: "owner",
    summary: "Deletes a backup",
    input: nothing,
    response: nothing,
  }),
  restore: endpoint("POST", "/backups/:file/restore", {
    needs: "owner",
    summary: "Restores a backup; `GET /backups` reports progress and outcome",
    input: nothing,
    response: file,
    status: 202,
  }),
  setSchedule: endpoint("PUT", "/backup-schedule", {
    needs: "owner",
    summary: "Creates backups regularly; 142 if `cron` is not a cron expression with five fields",
    input: z.object({ cron: text(200), keep: z.int().min(1).max(1_000) }),
    response: studioBackupSchedule,
  }),
  removeSchedule: endpoint("DELETE", "/backup-schedule", {
    needs: "owner",
    summary: "Turns scheduled backups off; existing backups are kept",
    input: nothing,
    response: nothing,
  }),
  beginUpload: endpoint("POST", "/backup-uploads", {
    needs: "owner",
    summary: "Begins an upload of `sizeBytes`, in chunks of `pieceBytes`",
    input: z.object({
      sizeBytes: count().refine((bytes) => bytes > 0, "must be the size of the file in bytes"),
    }),
    response: z.object({ id: z.string(), pieceBytes: z.int() }),
    status: 201,
  }),
  addChunk: endpoint("PUT", "/backup-uploads/:id", {
    needs: "owner",
    summary: "Appends a chunk; returns the offset of the next one",
    input: z.object({ offset: count().default(0) }),
    bodyType: "bytes",
    response: z.object({ received: z.int() }),
  }),
  finishUpload: endpoint("POST", "/backup-uploads/:id/finish", {
    needs: "owner",
    summary: "Completes an upload; 102 if it is not a valid backup of this kind of database",
    input: nothing,
    response: file,
    status: 201,
  }),
};
