import { setting } from "@purse/kernel";
import { isActiveContent } from "@purse/protocol";
import { z } from "zod";
import { flag, integer, size } from "../../config/settingTypes.ts";

/** Who may upload files, and of which types. */
export interface FileUpload {
  enableForPublic: boolean;
  enableForAnonymousUser: boolean;
  enableForAuthenticatedUser: boolean;
  /** As in the config file; undefined for all that browsers do not execute. */
  fileExtensions: readonly string[] | undefined;
  /** Whether an extension is allowed; undefined if all are. */
  allowsExtension: ((extension: string) => boolean) | undefined;
}

/** Who may download files. */
export type FileDownload = z.output<typeof fileDownloadSchema>;

/** `fileDownload` of the config file. */
const fileDownloadSchema = z
  .strictObject({
    enableForPublic: z.boolean().default(true),
    enableForAnonymousUser: z.boolean().default(true),
    enableForAuthenticatedUser: z.boolean().default(true),
  })
  .prefault({});

/** `fileUpload` of the config file. */
export const fileUploadSchema = z
  .strictObject({
    enableForPublic: z.boolean().default(false),
    enableForAnonymousUser: z.boolean().default(false),
    enableForAuthenticatedUser: z.boolean().default(true),
    /** Extensions and regular expressions; `*` for all. By default, all that browsers do not execute. */
    fileExtensions: z
      .array(
        z.string().refine((each) => extensionPattern(each) !== undefined, {
          error: "it is not a regular expression",
        }),
      )
      .optional(),
  })
  .prefault({})
  .transform(
    ({ fileExtensions, ...flags }): FileUpload => ({
      ...flags,
      fileExtensions,
      allowsExtension: extensionTest(fileExtensions),
    }),
  );

function extensionTest(extensions: string[] | undefined): FileUpload["allowsExtension"] {
  if (!extensions) return (extension) => !isActiveContent(extension);
  if (extensions.includes("*")) return undefined;
  const patterns = extensions.flatMap((each) => extensionPattern(each) ?? []);
  return (extension) => patterns.some((pattern) => pattern.test(extension));
}

/** Undefined for an invalid expression. A plain extension has to match completely: `jpg` does not allow `jpgx`. */
function extensionPattern(text: string): RegExp | undefined {
  if (text === "*") return /./;
  if (/^[\w+-]+$/.test(text)) return new RegExp(`^${text.replaceAll("+", "\\+")}$`, "i");
  try {
    return new RegExp(text);
  } catch {
    return undefined;
  }
}

const group = "Files";

/** Who may upload and download files, and how much of uploads may be unfinished. */
export const fileSettings = {
  filesShared: setting(flag(), {
    group,
    default: "0",
    description:
      "1 declares that several servers on one PostgreSQL database store files in folders with the same contents. Otherwise, a server starts only if it uses the same folder as the others.",
  }),
  maxUploadsPerClient: setting(integer(1, 10_000), {
    group,
    default: "50",
    description:
      "Maximum unfinished uploads per user, or per IP address without a user, including paused resumable uploads.",
  }),
  maxUploadBytesPerClient: setting(size(), {
    group,
    default: "1gb",
    description: "Maximum total size of those uploads, such as 1gb; a single upload is always allowed.",
  }),
  maxUploadBytes: setting(size(), {
    group,
    default: "10gb",
    description: "Maximum total size of the unfinished uploads of all clients, such as 10gb.",
  }),
  fileUpload: setting(fileUploadSchema, {
    group,
    env: null,
    description:
      "enableForPublic (false), enableForAnonymousUser (false), enableForAuthenticatedUser (true), fileExtensions: a list of extensions and regular expressions, `*` for all; by default all that browsers do not execute.",
  }),
  fileDownload: setting(fileDownloadSchema, {
    group,
    env: null,
    description:
      "Who may download files: enableForPublic, enableForAnonymousUser, enableForAuthenticatedUser, all true by default. Users send their session in a header, so pages cannot show files by their URL alone; rules for single files are beforeFind triggers.",
  }),
};
