/**
 * Suggestions with the merchant category codes (ISO 18245) that are most common for online shops. Users can enter any
 * other four-digit code.
 */
const kinds: Readonly<Record<string, string>> = {
  "4121": "Taxis and rides",
  "4722": "Travel agencies and tours",
  "4816": "Online and network services",
  "5045": "Computers and software, wholesale",
  "5192": "Books and newspapers, wholesale",
  "5311": "Department stores",
  "5399": "General merchandise",
  "5411": "Groceries",
  "5499": "Other food",
  "5621": "Women's clothing",
  "5651": "Family clothing",
  "5661": "Shoes",
  "5712": "Furniture",
  "5732": "Electronics",
  "5734": "Computer software",
  "5812": "Restaurants",
  "5814": "Fast food",
  "5815": "Digital goods: books, films, music",
  "5816": "Digital goods: games",
  "5817": "Digital goods: apps",
  "5912": "Pharmacies",
  "5942": "Books",
  "5944": "Jewelry, watches, silverware",
  "5945": "Hobbies, toys, games",
  "5947": "Gifts, cards, souvenirs",
  "5977": "Cosmetics",
  "5992": "Flowers",
  "5999": "Other specialty shops",
  "7011": "Hotels",
  "7298": "Health and beauty",
  "7372": "Programming and data processing",
  "7392": "Consulting",
  "7922": "Theaters and tickets",
  "7997": "Clubs and sports",
  "8299": "Schools and courses",
  "8398": "Charities",
  "8999": "Other professional services",
};

/** @example businessType("5942") // "5942, Books" */
export function businessType(code: string): string {
  return isKnownKind(code) ? `${code}, ${kinds[code]}` : code;
}

export function isKnownKind(code: string): boolean {
  return Object.hasOwn(kinds, code);
}

export const kindCodes = Object.keys(kinds);
