import { Code, useTranslation } from "@purse/ui";
import { parseJsonObject } from "../../components/fields.ts";
import type { ConsoleRequest } from "./consoleRequest.ts";
import { toCurl, toJavaScript } from "./snippets.ts";

/** The request as code for other programs. */
export function CopyRequest({ request }: { request: ConsoleRequest }) {
  const { t } = useTranslation();
  const json = request.kind === "rest" ? request.body : request.variables;
  if (parseJsonObject(json).problem !== undefined) return null;
  const { origin } = location;
  return (
    <details>
      <summary>{t("Copy as code")}</summary>
      <div className="stack">
        <Code label="curl" text={toCurl(request, origin)} wrap />
        <Code label="JavaScript" text={toJavaScript(request, origin)} wrap />
      </div>
    </details>
  );
}
