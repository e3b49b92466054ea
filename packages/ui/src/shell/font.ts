/**
 * Requests the font of Latin text. Called when the code of the app has arrived: with the document, the font would take a
 * fifth of a slow connection from the code, which is needed to show any text. Until it has loaded, text is shown in a font
 * of the system with the same metrics.
 */
export function requestFont(): void {
  document.fonts.load('1em "Inter Variable"').catch(() => {
    // The text stays in the system's font.
  });
}
