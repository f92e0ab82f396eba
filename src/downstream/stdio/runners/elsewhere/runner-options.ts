/** How the options of a package runner are read. An option that is in none of these lists makes its words unclear. */
export interface Options {
  readonly flags?: readonly string[];
  /** Followed by a value. */
  readonly values?: readonly string[];
  /** Followed by a path. */
  readonly paths?: readonly string[];
  /** Followed by a package to install; the first word is then a program. */
  readonly packages?: readonly string[];
  /** Followed by the directory to work in. */
  readonly directories?: readonly string[];
}
