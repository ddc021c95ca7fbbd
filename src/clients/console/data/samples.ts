/**
 * Transactions to try a view with: a transfer, a swap, and one whose second signature was altered. They are signed with
 * keys that aren't secret, for blockhashes that no chain has.
 */
export const SAMPLES: readonly { readonly title: string; readonly transaction: string }[] = [
  {
    title: 'Transfer',
    transaction:
      'AWSbOuQDJ0IEUp5wau2qj8d7HekDRWFRlsBwxs9RsoUJB9Hq2nEyA7ouoI2Cr4iT1VYT7BAyagdpguFYLAC5nA8BAAEDa3NKjv8k' +
      'b+c0s41ARsFI7uXwT+h7OgpCOVWneVbeBmvtakejnahptURhVeQLLZPx4/AWe+JnMrrno++djjo/0wAAAAAAAAAAAAAAAAAAAAAA' +
      'AAAAAAAAAAAAAAAAAAAABwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcBAgIAAQwCAAAAAGXNHQAAAAA=',
  },
  {
    title: 'Swap',
    transaction:
      'AcamLoAxBo+3uVz8kgGsG0yyZGIs3ccXpblTj1ykb1JWXA6+HPYZCSW3ZhejLu3G5ch5vUXxxLG/TD3zcvj23A+AAQAJDmtzSo7/' +
      'JG/nNLONQEbBSO7l8E/oezoKQjlVp3lW3gZr1lNQ+PB9eX62Cin1WZn3Xc42vhj5JsBHXbnNCWz/4fmgTGt4hBgawnkoEouTe8MB' +
      'dDl4sqzBd9He0q8jQ++tLSOuS7Y/Pqn9jNlxje4aAnJ1+geZMRbbUIXZTZt6kwAbznz5oNUv7VtHN2L0ulTrNEgxaoL7VS7ZjipI' +
      'XnQ3gmQDBkZv5SEXMv/srbpyw5vnvIzlu8X3EmssQ5s6QAAAAMb6evO+2606PWXzaqvJdDGxu+TC0vbg5HymAgNFL11hAAAAAAAA' +
      'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqYyXJY9OJInxuz0QKRSODYML' +
      'WhOZ2v8QhASOe9jb6fhZBpuIV/6rgYT7aH9jRhjANdrEOdwa6ztVmKDwAAAAAAEEedVb8jHAbu50xW7OaBUH/bGy3qP0jlECsc2i' +
      'VrwTj7Q/+if11/ZKdMCbHylYed5LCas238ndUUsyGqezjOXo0T5PQ/95Ob6uwA7XwqciLb6LAXX97EuEVbtDpMajz16A2Gf0lRZ9' +
      '8YfzdvDhlm4D7tEnijlGxaAKXZ2Abn+TCggFAAUC8EkCAAUACQMQJwAAAAAAAAkGAAEABgcIAQEJBgACAAoHCAEBBwIAAgwCAAAA' +
      'gLLmDgAAAAAIAQIBEQsNAAIBCgYICAsMCwMEDTe7ZPrMMcSvFICy5g4AAAAASCcWAgAAAAAsAQAAAAABAAAAHVUC8NbidWLS0bpm' +
      'rvxtS0YQJwABCAMCAAABCQA=',
  },
  {
    title: 'Broken signature',
    transaction:
      'Arsoe8OlRCfyJo40a936/t7olrawbEi4uhzvcWC3rYgSgqS2LdzX7f27oR14Qjjif+dZUAf4gSNraJ54s9bEpgSSsFvljVqqiVjE' +
      'IFlPeVw9YqrOycyN6vW1UHZKNj5HMIahHOJmxGHXwqyjZa2u1WKy/57nepcvA/VwC3ot0K4IAgABA2tzSo7/JG/nNLONQEbBSO7l' +
      '8E/oezoKQjlVp3lW3gZr7WpHo52oabVEYVXkCy2T8ePwFnviZzK656PvnY46P9MAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
      'AAAAAAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAQICAQAMAgAAAABlzR0AAAAA',
  },
]
