/** The layers of CONTRIBUTING.md: imports go one way, a package's face is its index.ts. scripts/architecture.ts finds cycles. */
const shipped = "^(packages/(protocol|kernel|workers|outbound|client|react|ui|server|chain)|apps)/";

/** Tests and what only tests use, which no build contains. */
const ofTests = "\\.test\\.tsx?$|^(packages|apps)/[^/]+/test/";

function layer(name, from, allowed) {
  const others = [
    "protocol",
    "kernel",
    "workers",
    "outbound",
    "client",
    "react",
    "ui",
    "server",
    "chain",
    "devchain",
    "cli",
    "create-purse-app",
  ]
    .filter((each) => each !== name && !allowed.includes(each))
    .join("|");
  return {
    name: `${name}-imports-only-${allowed.join("-") || "itself"}`,
    severity: "error",
    from: { path: from, pathNot: ofTests },
    to: { path: `^(packages/(${others})|apps/(web|studio))/`, pathNot: from },
  };
}

module.exports = {
  forbidden: [
    layer("protocol", "^packages/protocol/", []),
    layer("kernel", "^packages/kernel/", []),
    layer("workers", "^packages/workers/", []),
    layer("outbound", "^packages/outbound/", []),
    layer("client", "^packages/client/", ["protocol"]),
    layer("react", "^packages/react/", ["client", "protocol"]),
    layer("server", "^packages/server/", ["protocol", "kernel", "workers", "outbound", "chain", "client"]),
    layer("chain", "^packages/chain/", ["protocol", "workers", "outbound"]),
    layer("devchain", "^packages/devchain/", []),
    layer("cli", "^packages/cli/", ["server", "chain", "devchain", "protocol"]),
    layer("create-purse-app", "^packages/create-purse-app/", []),
    layer("ui", "^packages/ui/", ["react", "client", "protocol"]),
    layer("web", "^apps/web/", ["ui", "react", "client", "protocol"]),
    layer("studio", "^apps/studio/", ["ui", "client", "protocol", "server"]),
    {
      name: "studio-imports-only-types-of-the-admin-api",
      comment: "Nothing of the server may reach the browser.",
      severity: "error",
      from: { path: "^apps/studio/" },
      to: { path: "^packages/server/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-by-the-face",
      comment: "What another package wants is exported by the index.ts of the package that has it.",
      severity: "error",
      from: { path: "^(packages/([^/]+)|apps|scripts|tests|bench)/" },
      to: {
        path: "^packages/([^/]+)/src/(?!(index\\.ts|studioApi/index\\.ts|styles/index\\.css)$)",
        pathNot: "^packages/$2/",
      },
    },
    {
      name: "modules-only-by-their-token",
      comment: "A module of the server uses the service of another one, and its types, by its token.ts.",
      severity: "error",
      from: { path: "^packages/server/src/modules/([^/]+)/", pathNot: ofTests },
      to: {
        path: "^packages/server/src/modules/[^/]+/(?!token\\.ts$)",
        pathNot: "^packages/server/src/modules/$1/",
      },
    },
    {
      name: "nothing-that-ships-imports-these",
      severity: "error",
      from: { path: shipped, pathNot: ofTests },
      to: { path: "^(packages/devchain|tests|bench)/|^(packages|apps)/[^/]+/test/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules|templates|\\.cache)/|\\.d\\.[mc]?ts$" },
    tsPreCompilationDeps: true,
    parser: "swc",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs"],
    },
  },
};
