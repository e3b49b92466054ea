/** An app to start from, a folder below `templates`. */
export interface Starter {
  id: "react" | "nextjs" | "moralis";
  label: string;
  hint: string;
  /** Where the app runs in development. */
  url: string;
  /** Folders below `templates` whose files it consists of; a later one replaces files of an earlier one. */
  folders: readonly string[];
}

export const STARTERS: readonly Starter[] = [
  {
    id: "react",
    label: "React",
    hint: "Vite and TypeScript",
    url: "http://localhost:5173",
    folders: ["shared", "components", "react"],
  },
  {
    id: "nextjs",
    label: "Next.js",
    hint: "app router and TypeScript",
    url: "http://localhost:3000",
    folders: ["shared", "components", "nextjs"],
  },
  {
    id: "moralis",
    label: "Moralis v1",
    hint: "an app of moralis-v1 and react-moralis, migrated",
    url: "http://localhost:5173",
    folders: ["shared", "moralis"],
  },
];
