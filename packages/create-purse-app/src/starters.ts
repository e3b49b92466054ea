/** An app to start from, a folder below `templates`. */
export interface Starter {
  id: "react" | "nextjs" | "moralis" | "node";
  label: string;
  hint: string;
  /** Where the app runs in development; a script has no pages. */
  url?: string;
  /** Folders below `templates` whose files it consists of; a later one replaces files of an earlier one. */
  folders: readonly string[];
}

export const STARTERS: readonly Starter[] = [
  {
    id: "react",
    label: "React",
    hint: "Vite and TypeScript",
    url: "http://localhost:5173",
    folders: ["shared", "pages", "components", "react"],
  },
  {
    id: "nextjs",
    label: "Next.js",
    hint: "app router and TypeScript",
    url: "http://localhost:3000",
    folders: ["shared", "pages", "components", "nextjs"],
  },
  {
    id: "moralis",
    label: "Moralis v1",
    hint: "an app of moralis-v1 and react-moralis, migrated",
    url: "http://localhost:5173",
    folders: ["shared", "pages", "moralis"],
  },
  {
    id: "node",
    label: "Node.js",
    hint: "a script that signs in, writes and listens",
    folders: ["shared", "node"],
  },
];
