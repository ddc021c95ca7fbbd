/** The tests that a lane has begun, by their file's URL. */
const tests = new Map()

/** @param {string} url */
export const testOf = (url) => tests.get(url)

/** @param {string} url @param {import('tap').Test} test */
export const begin = (url, test) => void tests.set(url, test)
