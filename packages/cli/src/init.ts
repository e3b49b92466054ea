import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const CONFIG = `// Settings of Purse. \`purse --help\` lists them all; flags and environment variables take precedence.
export default {
  port: 1337,
  // Classes that the server creates at its start. In production, clients have no access to one without \`access\`.
  schemas: [
    {
      className: "Note",
      fields: { text: { type: "String", required: true } },
      // Everybody reads notes. Signed-in users create them, and change their own.
      access: "usersCreate",
    },
  ],
};
`;
const CLOUD_CODE = `// Cloud code of Purse: functions, triggers and jobs. It is loaded again when it changes.
Parse.Cloud.define("hello", ({ user, params }) => \`Hello, \${params.name ?? user?.get("username") ?? "stranger"}!\`);

Parse.Cloud.beforeSave("Note", ({ object }) => {
  if (String(object.get("text")).trim() === "") throw "A note needs a text.";
});
`;

/** What `initProject` has done with a file. */
export interface InitializedFile {
  file: string;
  isWritten: boolean;
}

/** Writes a config file and cloud code to a folder. Existing files stay as they are. */
export async function initProject(folder: string): Promise<InitializedFile[]> {
  const texts = { "purse.config.ts": CONFIG, "cloud/main.ts": CLOUD_CODE };
  const files: InitializedFile[] = [];
  for (const [file, text] of Object.entries(texts)) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(path, text, { flag: "wx" });
      files.push({ file, isWritten: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      files.push({ file, isWritten: false });
    }
  }
  return files;
}
