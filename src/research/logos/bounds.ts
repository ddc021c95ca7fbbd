/** Pixels on a side of a picture that is taken. */
export const MAX_SIDE = 1_024
/** Bytes of a picture, as it comes and as it is answered. */
export const MAX_IMAGE_BYTES = 524_288
