/** User prompts; applications replace them with their own. */
export const UI = {
  /** Shows a prompt and resolves with the user's input; does nothing until an application replaces it. */
  async openPrompt(_options?: unknown): Promise<unknown> {
    console.warn("Moralis: No prompt supplied");
    return undefined;
  },
};
