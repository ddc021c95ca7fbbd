/** Pixels on a side of a picture that is taken. */
export const MAX_SIDE = 1_024
/** Bytes of a picture, as received and as served. */
export const MAX_IMAGE_BYTES = 524_288
