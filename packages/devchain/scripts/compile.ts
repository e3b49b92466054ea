import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const sourceFolder = join(packageFolder, "contracts");
const artifactFolder = join(packageFolder, "artifacts");
const digestFile = join(sourceFolder, "compiled.sha256");
const require = createRequire(import.meta.url);

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[];
  contracts?: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>;
}

/** Settings of the compiler; the artifacts have no paths, times or metadata hash. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
};

/** The sources by file name, in order. */
function readSources(): Map<string, string> {
  const files = readdirSync(sourceFolder)
    .filter((file) => file.endsWith(".sol"))
    .sort();
  return new Map(files.map((file) => [file, readFileSync(join(sourceFolder, file), "utf8")]));
}

/**
 * A digest of the sources, the versions and settings of the compiler and libraries, and the artifacts. The one that was
 * recorded when they were last compiled tells whether the artifacts are up to date, which takes no seconds of compiling.
 */
export function digestOfContracts(): string {
  const versions = ["solc", "@openzeppelin/contracts"].map(
    (name) => `${name} ${JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8")).version}`,
  );
  const sources = readSources();
  const artifacts = [...sources.keys()].map((file) =>
    readFileSync(join(artifactFolder, file.replace(/\.sol$/, ".json")), "utf8"),
  );
  const hash = createHash("sha256").update(JSON.stringify([versions, SETTINGS, [...sources], artifacts]));
  return hash.digest("hex");
}

/** The digest of when the contracts were last compiled. */
export function recordedDigest(): string {
  return readFileSync(digestFile, "utf8").trim();
}

/**
 * Compiles all contracts of `contracts/` and returns the text of each artifact by contract name: `{ contractName,
 * abi, bytecode }` as JSON. The text is reproducible: it contains no paths, times or metadata hash. Throws an Error
 * with the compiler's messages if a source does not compile.
 */
export async function compileContracts(): Promise<Map<string, string>> {
  // Loading it takes a second of CPU time.
  const { default: solc } = await import("solc");
  const sources = readSources();
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...sources].map(([file, content]) => [file, { content }])),
    settings: SETTINGS,
  };
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: readLibrary }));
  // Warnings in libraries are not ours to fix.
  const problems = (output.errors ?? []).filter(
    ({ severity, sourceLocation }) => severity === "error" || !sourceLocation?.file.startsWith("@"),
  );
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join("\n"));

  const artifacts = new Map<string, string>();
  for (const file of sources.keys()) {
    const contractName = file.replace(/\.sol$/, "");
    const contract = output.contracts?.[file]?.[contractName];
    if (!contract) throw new Error(`${file} does not define a contract named ${contractName}`);
    artifacts.set(
      contractName,
      artifactText(contractName, contract.abi, `0x${contract.evm.bytecode.object}`),
    );
  }
  return artifacts;
}

function readLibrary(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(path), "utf8") };
  } catch (error) {
    return { error: String(error) };
  }
}

/** One ABI entry per line, for small files and readable diffs. */
function artifactText(contractName: string, abi: unknown[], bytecode: string): string {
  const entries = abi.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n");
  return `{\n  "contractName": "${contractName}",\n  "abi": [\n${entries}\n  ],\n  "bytecode": "${bytecode}"\n}\n`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await mkdir(artifactFolder, { recursive: true });
  for (const [contractName, text] of await compileContracts()) {
    await writeFile(join(artifactFolder, `${contractName}.json`), text);
    console.log(`${contractName}.json  ${text.length} characters`);
  }
  await writeFile(digestFile, `${digestOfContracts()}\n`);
}
