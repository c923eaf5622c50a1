"""HTTP as both processes speak it: connections within bounds, on sockets that are bound already. Knows no route."""
