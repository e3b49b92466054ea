import type { StudioBackupState } from "@purse/protocol";
import type { Backups } from "../backups.ts";
import type { BackupUploads } from "../backupUploads.ts";
import { invalid, wholeIn } from "../parameters.ts";
import type { Restores } from "../restores.ts";
import { json, type StreamReply, type StudioRequest, type StudioRoute, signedInAs } from "../route.ts";

export interface BackupParts {
  backups: Backups;
  uploads: BackupUploads;
  restores: Restores;
}

/** Copies of the database: made, fetched, brought, put back. */
export function backupRoutes({ backups, uploads, restores }: BackupParts): StudioRoute[] {
  return [
    { method: "GET", path: "/backups", needs: "owner", handle: state },
    { method: "POST", path: "/backups", needs: "owner", handle: begin },
    { method: "GET", path: "/backups/:file", needs: "owner", handle: download },
    { method: "DELETE", path: "/backups/:file", needs: "owner", handle: remove },
    { method: "POST", path: "/backups/:file/restore", needs: "owner", handle: restore },
    { method: "POST", path: "/backup-uploads", needs: "owner", handle: beginUpload },
    { method: "PUT", path: "/backup-uploads/:id", needs: "owner", takes: "bytes", handle: addPiece },
    { method: "POST", path: "/backup-uploads/:id/finish", needs: "owner", handle: finishUpload },
  ];

  async function state() {
    const told: StudioBackupState = {
      ...(await backups.state()),
      ...(await restores.state()),
      canRestore: restores.canRestore,
    };
    return json(told);
  }

  async function begin(request: StudioRequest) {
    const file = await backups.begin();
    request.note({ target: file });
    return json({ file }, 202);
  }

  async function download({ names: { file = "" } }: StudioRequest): Promise<StreamReply> {
    const stream = await backups.open(file);
    return { stream, contentType: "application/vnd.sqlite3", fileName: file };
  }

  async function remove({ names: { file = "" } }: StudioRequest) {
    await backups.remove(file);
    return {};
  }

  async function restore(request: StudioRequest) {
    const { file = "" } = request.names;
    await restores.begin(file, signedInAs(request).operator.username);
    return json({ file }, 202);
  }

  async function beginUpload({ params }: StudioRequest) {
    const sizeBytes = wholeIn(params, "sizeBytes", 0, Number.MAX_SAFE_INTEGER);
    if (sizeBytes === 0) throw invalid("sizeBytes must be the size of the file");
    return json(await uploads.begin(sizeBytes), 201);
  }

  async function addPiece({ params, names: { id = "" }, bytes }: StudioRequest) {
    const offset = wholeIn(params, "offset", 0, Number.MAX_SAFE_INTEGER);
    return json({ received: await uploads.add(id, offset, bytes) });
  }

  async function finishUpload(request: StudioRequest) {
    const file = await uploads.finish(request.names.id ?? "");
    request.note({ target: file });
    return json({ file }, 201);
  }
}
