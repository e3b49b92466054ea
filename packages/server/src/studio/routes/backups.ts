import type { StudioBackupState } from "@purse/protocol";
import type { Backups } from "../backups.ts";
import type { BackupUploads } from "../backupUploads.ts";
import { integerParameter, invalidParameter } from "../parameters.ts";
import type { Restores } from "../restores.ts";
import { json, requireSignedIn, type StreamReply, type StudioRequest, type StudioRoute } from "../route.ts";

export interface BackupDependencies {
  backups: Backups;
  uploads: BackupUploads;
  restores: Restores;
}

/** Routes for backups: create, download, upload, restore. */
export function backupRoutes({ backups, uploads, restores }: BackupDependencies): StudioRoute[] {
  return [
    { method: "GET", path: "/backups", needs: "owner", handle: state },
    { method: "POST", path: "/backups", needs: "owner", handle: begin },
    { method: "GET", path: "/backups/:file", needs: "owner", handle: download },
    { method: "DELETE", path: "/backups/:file", needs: "owner", handle: remove },
    { method: "POST", path: "/backups/:file/restore", needs: "owner", handle: restore },
    { method: "POST", path: "/backup-uploads", needs: "owner", handle: beginUpload },
    { method: "PUT", path: "/backup-uploads/:id", needs: "owner", bodyType: "bytes", handle: addChunk },
    { method: "POST", path: "/backup-uploads/:id/finish", needs: "owner", handle: finishUpload },
  ];

  async function state() {
    const backupState: StudioBackupState = {
      ...(await backups.getState()),
      ...(await restores.getState()),
      canRestore: restores.canRestore,
    };
    return json(backupState);
  }

  async function begin(request: StudioRequest) {
    const file = await backups.begin();
    request.setAuditDetails({ target: file });
    return json({ file }, 202);
  }

  async function download({ pathParams: { file = "" } }: StudioRequest): Promise<StreamReply> {
    const stream = await backups.open(file);
    return { stream, contentType: "application/vnd.sqlite3", fileName: file };
  }

  async function remove({ pathParams: { file = "" } }: StudioRequest) {
    await backups.remove(file);
    return {};
  }

  async function restore(request: StudioRequest) {
    const { file = "" } = request.pathParams;
    await restores.begin(file, requireSignedIn(request).operator.username);
    return json({ file }, 202);
  }

  async function beginUpload({ params }: StudioRequest) {
    const sizeBytes = integerParameter(params, "sizeBytes", 0, Number.MAX_SAFE_INTEGER);
    if (sizeBytes === 0) throw invalidParameter("sizeBytes must be the size of the file in bytes");
    return json(await uploads.begin(sizeBytes), 201);
  }

  async function addChunk({ params, pathParams: { id = "" }, bytes }: StudioRequest) {
    const offset = integerParameter(params, "offset", 0, Number.MAX_SAFE_INTEGER);
    return json({ received: await uploads.add(id, offset, bytes) });
  }

  async function finishUpload(request: StudioRequest) {
    const file = await uploads.finish(request.pathParams.id ?? "");
    request.setAuditDetails({ target: file });
    return json({ file }, 201);
  }
}
