import { setting } from "@purse/kernel";
import { parseFilesStore } from "../filesStore.ts";
import { parsed, serverUrl, settingGroup, size } from "../settingTypes.ts";

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
    package: "@purse/s3",
    off: "disk",
  }),
  backupsStore: setting(parsed(parseFilesStore), {
    default: "disk",
    description:
      "Where the studio keeps backups of the database: disk (in the data directory), or s3://… as for files. Use a private bucket: backups contain sessions and password hashes.",
    isSecret: true,
    package: "@purse/s3",
    off: "disk",
  }),
  maxUploadSize: setting(size(), {
    default: "20mb",
    description: "Maximum size of an uploaded file, such as 20mb.",
  }),
});
