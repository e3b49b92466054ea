import { escapeHtml } from "@purse/protocol";

/** A parameter of a form that sends a request. */
interface FormParameter {
  name: string;
  in: string;
  required: boolean;
  /** What is entered at first if it is required. */
  sample: string;
}

export interface TryForm {
  id: string;
  method: string;
  path: string;
  parameters: readonly FormParameter[];
  /** JSON that is entered at first; undefined for a request without a body. */
  body: string | undefined;
}

/** The fields above the endpoints. They are shown by the script. */
export const PAGE_TOOLS = `<div id="tools" class="tools" role="search" hidden>
<label>Filter endpoints <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>
<label>API key <input id="api-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-note"></label>
<p id="key-note" class="kind">Sent as <code>X-API-Key</code> with the requests of this page, and kept nowhere.</p>
<p id="found" class="kind" role="status"></p>
</div>`;

/** A form that sends a request and shows its response. It is shown by the script. */
export function renderTryForm({ id, method, path, parameters, body }: TryForm): string {
  const fields = parameters
    .filter((parameter) => parameter.in === "path" || parameter.in === "query")
    .map((parameter) => {
      const { name, required } = parameter;
      const value = required ? escapeHtml(parameter.sample) : "";
      return `<label><code>${escapeHtml(name)}</code>${required ? "" : " (optional)"} <input name="${escapeHtml(name)}" data-in="${parameter.in}" value="${value}"${required ? " required" : ""} autocomplete="off" spellcheck="false"></label>`;
    });
  const bodyField =
    body === undefined
      ? ""
      : `<label>Body <textarea name="body" data-in="body" rows="6" spellcheck="false">${escapeHtml(body)}</textarea></label>`;
  return `<details class="try" data-method="${method}" data-path="${escapeHtml(path)}" hidden>
<summary>Try it</summary>
<form aria-label="${escapeHtml(id)}">
${fields.join("\n")}
${bodyField}
<div class="send"><button type="submit">Send request</button> <span role="status"></span></div>
</form>
<pre tabindex="0" role="region" aria-label="Response of ${escapeHtml(id)}" hidden></pre>
</details>`;
}
