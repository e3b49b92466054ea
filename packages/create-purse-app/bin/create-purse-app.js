#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 18)) await import("../dist/main.js");
else {
  console.error(`create-purse-app needs Node.js 22.18 or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
}
