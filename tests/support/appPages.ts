import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A swap of the local chain's history. */
const SWAP = "0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09";
const HOLDER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const STRANGER = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const WETH = "0x88485acaeffe61b62ab284503b1f5673a1b0d937";
const COLLECTION = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512";

/** Every page of the app that shows something of the server or the chain, with the parts that load on their own. */
export const APP_PAGES = [
  "/",
  "/sign-in",
  "/portfolio",
  `/portfolio?address=${HOLDER}`,
  `/send?to=${STRANGER}`,
  "/explorer",
  "/explorer/block/59",
  "/explorer/block/59?tab=nft-transfers",
  `/explorer/tx/${SWAP}`,
  `/explorer/tx/${SWAP}?tab=logs`,
  `/explorer/tx/${SWAP}?tab=calls`,
  `/explorer/address/${HOLDER}`,
  `/explorer/address/${HOLDER}?tab=transfers`,
  `/explorer/address/${HOLDER}?tab=tokens`,
  `/explorer/address/${HOLDER}?tab=nfts`,
  `/explorer/address/${HOLDER}?tab=nft-transfers`,
  `/explorer/token/${TOKEN}`,
  `/explorer/token/${TOKEN}?tab=holders`,
  `/explorer/token/${TOKEN}?tab=price`,
  `/explorer/pair/${TOKEN}/${WETH}`,
  `/explorer/nft/${COLLECTION}`,
  `/explorer/nft/${COLLECTION}?tab=owners`,
  `/explorer/nft/${COLLECTION}?tab=transfers`,
  `/explorer/nft/${COLLECTION}?tab=sales`,
  `/explorer/nft/${COLLECTION}/1`,
  `/explorer/nft/${COLLECTION}/1?tab=transfers`,
  `/contract?address=${TOKEN}`,
  "/data",
  "/files",
  "/account",
  "/account?tab=security",
  "/account?tab=sessions",
  "/account?tab=data",
] as const;

/** Every page of the app: also those that need nothing of the server, that need a plugin, or that do not exist. */
export const ALL_APP_PAGES = [
  ...APP_PAGES,
  "/send",
  "/swap",
  "/explorer?chain=0x999",
  `/explorer/nft/${COLLECTION}?tab=traits`,
  `/explorer/nft/${COLLECTION}/1?tab=metadata`,
  "/contract",
  "/design",
  "/no/such/page",
] as const;

/** What a path of the router looks like in the sources of the app. */
const ROUTE = /createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: "([^"]+)",/g;
/** The paths of parent routes. */
const PARENTS: Readonly<Record<string, string>> = { root: "", explorer: "/explorer" };
/** A former path, which redirects. */
const REDIRECTS = ["/notes"];

/** The paths of all routes of the app, such as `/explorer/block/$block`, as its sources define them. */
export function appRoutes(): string[] {
  const app = resolve(import.meta.dirname, "../../apps/web/src");
  return globSync(["router.tsx", "pages/*/routes.ts"], { cwd: app }).flatMap((file) => {
    const source = readFileSync(join(app, file), "utf8");
    const routes = [...source.matchAll(ROUTE)].map(([, parent = "", path = ""]) => {
      const parentPath = PARENTS[parent];
      if (parentPath === undefined) throw new Error(`${file}: the path of ${parent} is missing here`);
      return path === "/" && parentPath !== "" ? parentPath : parentPath + path;
    });
    if (routes.length !== source.split("createRoute(").length - 1)
      throw new Error(`${file}: a route is written in another way than the others`);
    return routes.filter((route) => !REDIRECTS.includes(route));
  });
}

/** Whether a path belongs to a route. */
export function isOfRoute(path: string, route: string): boolean {
  const [pathname = ""] = path.split("?");
  const pattern = route.split("/").map((part) => (part.startsWith("$") ? "[^/]+" : part));
  return new RegExp(`^${pattern.join("/")}$`).test(pathname);
}

/** The paths of all pages of the studio, as its router has them. */
export function studioRoutes(): string[] {
  const source = readFileSync(new URL("../../apps/studio/src/router.tsx", import.meta.url), "utf8");
  const paths = [...source.matchAll(/(?:\bpage\(|\bpath: )"([^"]+)"/g)].map(([, path = ""]) => path);
  const { length } = [...source.matchAll(/import\("\.\/pages\//g)];
  if (paths.length !== length) throw new Error(`${length} pages of the router have ${paths.length} paths`);
  return paths;
}

/** Every page of the studio, below `/studio`, with its heading, and the tabs that show something else. */
export const STUDIO_VIEWS = [
  ["", "Overview"],
  ["/data?class=_User", "Data"],
  ["/classes", "Classes"],
  ["/classes?show=code", "Classes"],
  ["/permissions", "Permissions"],
  ["/permissions?class=_User", "Permissions"],
  ["/permissions?show=question", "Permissions"],
  ["/roles", "Roles"],
  ["/functions", "Functions"],
  ["/console", "API console"],
  ["/console?show=graphql", "API console"],
  ["/jobs", "Jobs"],
  ["/hooks", "Hooks"],
  ["/hooks?show=calls", "Hooks"],
  ["/hooks?show=deliveries", "Hooks"],
  ["/push", "Push"],
  ["/mail", "Email"],
  ["/mail?show=templates", "Email"],
  ["/config", "Config"],
  ["/files", "Files"],
  ["/files?show=pins", "Files"],
  ["/plugins", "Plugins"],
  ["/chains", "Chains"],
  ["/logs", "Logs"],
  ["/logs?show=requests", "Logs"],
  ["/logs?show=slow", "Logs"],
  ["/backup", "Backup"],
  ["/keys", "API keys"],
  ["/operators", "Operators"],
  ["/operators?show=account", "Operators"],
  ["/audit", "Audit log"],
  ["/security", "Security check"],
  ["/no/such/page", "Page not found"],
] as const;
