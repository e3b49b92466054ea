import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const sourceFolder = join(packageFolder, "contracts");
const artifactFolder = join(packageFolder, "artifacts");
const require = createRequire(import.meta.url);

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[];
  contracts?: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>;
}

/**
 * Compiles all contracts of `contracts/` and returns the text of each artifact by contract name: `{ contractName,
 * abi, bytecode }` as JSON. The text is reproducible: it contains no paths, times or metadata hash. Throws an Error
 * with the compiler's messages if a source does not compile.
 */
export function compileContracts(): Map<string, string> {
  const files = readdirSync(sourceFolder)
    .filter((file) => file.endsWith(".sol"))
    .sort();
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      files.map((file) => [file, { content: readFileSync(join(sourceFolder, file), "utf8") }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "cancun",
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: readLibrary }));
  // Warnings in libraries are not ours to fix.
  const problems = (output.errors ?? []).filter(
    ({ severity, sourceLocation }) => severity === "error" || !sourceLocation?.file.startsWith("@"),
  );
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join("\n"));

  const artifacts = new Map<string, string>();
  for (const file of files) {
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
  for (const [contractName, text] of compileContracts()) {
    await writeFile(join(artifactFolder, `${contractName}.json`), text);
    console.log(`${contractName}.json  ${text.length} characters`);
  }
}
