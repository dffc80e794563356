/**
 * The titles of the iframes in the runner document, which contains no other texts. They are in English only: one iframe
 * is hidden, and the heading around the other already says it in the page's language.
 */
export const bankCheckFrame = "Security check by your bank";
export const bankFrame = "Your bank’s page";
