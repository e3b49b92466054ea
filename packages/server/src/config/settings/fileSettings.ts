import { setting } from "@purse/kernel";
import { parseFilesStore } from "../fileUpload.ts";
import { flag, integer, parsed, serverUrl, settingGroup, size } from "../settingTypes.ts";

/** Files and uploads. */
export const fileSettings = settingGroup("Files", {
  filesUrl: setting(serverUrl().optional(), {
    description:
      "URL of this server on a separate origin for files, ending in /server; files are served there only. Default: the server's URL.",
  }),
  filesStore: setting(parsed(parseFilesStore), {
    default: "disk",
    description:
      "File storage: disk (in the data directory), or s3://bucket/prefix?region=…&endpoint=https://…&forcePathStyle=1 with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.",
    isSecret: true,
  }),
  backupsStore: setting(parsed(parseFilesStore), {
    default: "disk",
    description:
      "Where the studio keeps backups of the database: disk (in the data directory), or s3://… as for files. Use a private bucket: backups contain sessions and password hashes.",
    isSecret: true,
  }),
  filesShared: setting(flag(), {
    default: "0",
    description:
      "1 declares that several servers on one PostgreSQL database store files in folders with the same contents. Otherwise, a server starts only if it uses the same folder as the others.",
  }),
  maxUploadSize: setting(size(), {
    default: "20mb",
    description: "Maximum size of an uploaded file, such as 20mb.",
  }),
  maxUploadsPerClient: setting(integer(1, 10_000), {
    default: "50",
    description:
      "Maximum unfinished uploads per user, or per IP address without a user, including paused resumable uploads.",
  }),
  maxUploadBytesPerClient: setting(size(), {
    default: "1gb",
    description: "Maximum total size of those uploads, such as 1gb; a single upload is always allowed.",
  }),
  maxUploadBytes: setting(size(), {
    default: "10gb",
    description: "Maximum total size of the unfinished uploads of all clients, such as 10gb.",
  }),
});
