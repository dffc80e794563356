/**
 * Of the frames in the runner document, which carries these and no more; English, for the one is hidden and around the
 * other its title stands already.
 */
export const bankCheckFrame = "Security check by your bank";
export const bankFrame = "Your bank’s page";
