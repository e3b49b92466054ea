import { backupEndpoints as endpoints, type StudioBackupState } from "../../studioApi/backups.ts";
import type { BackupSchedule } from "../backupSchedule.ts";
import type { Backups } from "../backups.ts";
import type { BackupUploads } from "../backupUploads.ts";
import type { Restores } from "../restores.ts";
import {
  type Requests,
  requireSignedIn,
  route,
  type StreamReply,
  type StudioRequest,
  type StudioRoute,
} from "../route.ts";

type BackupRequests = Requests<typeof endpoints>;

export interface BackupDependencies {
  backups: Backups;
  uploads: BackupUploads;
  restores: Restores;
  schedule: BackupSchedule;
  /** Whether failures are reported by email or webhook. */
  sendsAlerts: boolean;
}

/** Routes for backups: create, schedule, download, upload, restore. */
export function backupRoutes(dependencies: BackupDependencies): StudioRoute[] {
  const { backups, uploads, restores, schedule, sendsAlerts } = dependencies;
  return [
    route(endpoints.state, state),
    route(endpoints.begin, begin),
    route(endpoints.download, download),
    route(endpoints.remove, remove),
    route(endpoints.restore, restore),
    route(endpoints.setSchedule, setSchedule),
    route(endpoints.removeSchedule, removeSchedule),
    route(endpoints.beginUpload, async ({ params }) => uploads.begin(params.sizeBytes)),
    route(endpoints.addChunk, addChunk),
    route(endpoints.finishUpload, finishUpload),
  ];

  async function state(): Promise<StudioBackupState> {
    return {
      ...(await backups.getState()),
      ...(await restores.getState()),
      ...(await schedule.getState()),
      canRestore: restores.canRestore,
      sendsAlerts,
    };
  }

  async function begin(request: StudioRequest) {
    const file = await backups.begin();
    request.setAuditDetails({ target: file });
    return { file };
  }

  async function download({ pathParams: { file } }: BackupRequests["download"]): Promise<StreamReply> {
    const { content } = await backups.open(file);
    return { stream: content, contentType: backups.method.contentType, fileName: file };
  }

  async function remove({ pathParams: { file } }: BackupRequests["remove"]) {
    await backups.remove(file);
    return {};
  }

  async function restore(request: BackupRequests["restore"]) {
    const { file } = request.pathParams;
    await restores.begin(file, requireSignedIn(request).operator.username);
    return { file };
  }

  async function setSchedule(request: BackupRequests["setSchedule"]) {
    const before = await schedule.get();
    const after = await schedule.set(request.params);
    request.setAuditDetails({
      before: before && { cron: before.cron, keep: before.keep },
      after: request.params,
    });
    return after;
  }

  async function removeSchedule(request: StudioRequest) {
    const before = await schedule.get();
    request.setAuditDetails({ before: before && { cron: before.cron, keep: before.keep } });
    await schedule.remove();
    return {};
  }

  async function addChunk({ params, pathParams, bytes }: BackupRequests["addChunk"]) {
    return { received: await uploads.add(pathParams.id, params.offset, bytes) };
  }

  async function finishUpload(request: BackupRequests["finishUpload"]) {
    const file = await uploads.finish(request.pathParams.id);
    request.setAuditDetails({ target: file });
    return { file };
  }
}
