import { serveRequests } from "@purse/workers";
import { compilePipeline } from "../pipeline/pipeline.ts";
import type { Stage } from "../pipeline/stage.ts";
import type { Document } from "../pipeline/values.ts";
import { toDocument, toResultText } from "../pipeline/wireDocuments.ts";

export interface AggregationJob {
  /** JSON texts of the objects. */
  texts: readonly string[];
  stages: readonly Stage[];
  /** Objects of the classes that stages read, by class name. */
  lookupCollections: Record<string, readonly string[]>;
  /** Maximum number of characters in the results as JSON. */
  maxChars: number;
}

export type AggregationResult = { results: string[] } | { error: string } | { isTooLarge: true };

serveRequests<AggregationJob, AggregationResult>({
  handle({ texts, stages, lookupCollections, maxChars }) {
    try {
      const read = new Map<string, readonly Document[]>();
      const readClass = (className: string) => {
        const documents = read.get(className) ?? (lookupCollections[className] ?? []).map(toDocument);
        read.set(className, documents);
        return documents;
      };
      const output = compilePipeline(stages).run(documentsOf(texts), readClass);
      let chars = 0;
      const results: string[] = [];
      for (const document of output) {
        const text = toResultText(document);
        chars += text.length;
        if (chars > maxChars) return { isTooLarge: true };
        results.push(text);
      }
      return { results };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },
});

/** Converts the texts one after the other, as the first stage takes them. */
function* documentsOf(texts: readonly string[]): Generator<Document> {
  for (const text of texts) yield toDocument(text);
}
