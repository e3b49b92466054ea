/** What a page asks people; applications put their own in its place. */
export const UI = {
  /** Shows a prompt and resolves with what people answer; there is none until an application supplies it. */
  async openPrompt(_options?: unknown): Promise<unknown> {
    console.warn("Moralis: No prompt supplied");
    return undefined;
  },
};
