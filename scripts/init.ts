import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const CONFIG = `// Settings of Purse. \`purse --help\` lists them all; flags and environment variables take precedence.
export default {
  port: 1337,
  // Classes that the server creates at its start. Without rules, clients may read and write objects by their ACLs.
  schemas: [
    {
      className: "Note",
      fields: { text: { type: "String", required: true } },
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

/** Writes a config file and cloud code to a folder. Returns what it did with each file; existing files stay as they are. */
export async function initProject(folder: string): Promise<string[]> {
  const files = { "purse.config.ts": CONFIG, "cloud/main.ts": CLOUD_CODE };
  const lines: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    try {
      await writeFile(file, text, { flag: "wx" });
      lines.push(`${name}: written`);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      lines.push(`${name}: exists already, unchanged`);
    }
  }
  return lines;
}
