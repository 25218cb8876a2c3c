"""The lab: a page on which every step of the lectures can be watched, on points of one's own."""
