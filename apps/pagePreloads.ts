import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin, Rolldown } from "vite";

/** A call of `createRoute` in the `routes.ts` of some pages, with the name of the route if it has one. */
const ROUTE = /(?:const (\w+) = )?createRoute\(\{((?:(?!createRoute\()[\s\S])*)/g;

/**
 * Writes `preloads.json`: by path, such as `/explorer/block/$block`, the `Link` header with the files that a page needs besides
 * those that the document names. The server sends it with the document, so that a browser requests them together with
 * these rather than once they have run.
 */
export function pagePreloads(): Plugin {
  let root = "";
  return {
    name: "page-preloads",
    apply: "build",
    configResolved(config) {
      root = config.root;
    },
    generateBundle: {
      // After Vite has removed the chunks that held nothing but styles.
      order: "post",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const known = filesOf(
          chunks.filter(({ isEntry }) => isEntry),
          chunks,
        );
        const preloads = routesIn(root).map(({ path, modules }) => {
          const pages = chunks.filter(({ facadeModuleId }) => modules.includes(facadeModuleId ?? ""));
          const files = [...filesOf(pages, chunks)].filter((file) => !known.has(file));
          return [path, files.map(linkOf).join(", ")];
        });
        const source = JSON.stringify(Object.fromEntries(preloads.filter(([, links]) => links !== "")));
        this.emitFile({ type: "asset", fileName: "preloads.json", source });
      },
    },
  };
}

interface PageRoute {
  path: string;
  /** The files of its components, from the outermost on. */
  modules: string[];
}

/** The routes whose components are loaded when they are shown. A route without a path of its own replaces its parent. */
function routesIn(root: string): PageRoute[] {
  const routes = new Map<string, PageRoute>();
  for (const file of globSync("src/pages/*/routes.ts", { cwd: root }).sort()) {
    const named = new Map<string, PageRoute>();
    for (const [, name, text = ""] of readFileSync(join(root, file), "utf8").matchAll(ROUTE)) {
      const [, parentName = ""] = /getParentRoute: \(\) => (\w+)/.exec(text) ?? [];
      const [, ownPath = ""] = /\bpath: "([^"]+)"/.exec(text) ?? [];
      const [, component] = /\bcomponent: lazyRouteComponent\(\(\) => import\("([^"]+)"\)/.exec(text) ?? [];
      const parent = named.get(parentName);
      const route = {
        path: parent && ownPath === "/" ? parent.path : `${parent?.path ?? ""}${ownPath}`,
        modules: [
          ...(parent?.modules ?? []),
          ...(component === undefined ? [] : [join(root, dirname(file), component)]),
        ],
      };
      if (name !== undefined) named.set(name, route);
      if (component !== undefined) routes.set(route.path, route);
    }
  }
  return [...routes.values()];
}

/** The chunks and all that they import statically, with their styles. */
function filesOf(
  entries: readonly Rolldown.OutputChunk[],
  all: readonly Rolldown.OutputChunk[],
): ReadonlySet<string> {
  const chunks = new Set(entries);
  for (const { imports } of chunks)
    for (const chunk of all) if (imports.includes(chunk.fileName)) chunks.add(chunk);
  const styles = [...chunks].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
  return new Set([...[...chunks].map(({ fileName }) => fileName), ...styles]);
}

function linkOf(file: string): string {
  // Vite requests styles with this mode too; another one would not use what is preloaded.
  const relation = file.endsWith(".css") ? "preload; as=style; crossorigin" : "modulepreload";
  return `</${file}>; rel=${relation}`;
}
